"""What of an object is confidential, decided once: every output asks here.

``fields``           the one table of fields that may hold a secret
``scope``            what the way from the root says about a value
``parts``, ``conditions``  the table of rules, and the walk that finds confidential parts by it
``parameters``       the values that ResourceSets, ApplicationSets and Templates put into such parts
``secret_values``    the values of Secrets, which may occur elsewhere
``masked``           trees and names with a mask for what is confidential
``object_fields``    what is confidential in fields of an object that are asked for one by one
``manifest_text``, ``template_names``  what a text that is not parsed yet says of its content
"""
