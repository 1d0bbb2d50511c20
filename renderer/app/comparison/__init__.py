"""The comparison of two sides of a project, for ``diff``: what they render, and what deploys that.

``compare_projects`` in ``app/diff.py`` knows their order.

The sides:
``revisions``, ``side``       a project at a commit or in the work tree, rendered in memory
``rendered_sides``            one overlay on a side, and on all of them
``before_the_project``        a side without ``vmrender.yaml``, read with that of the other one
``listing``                   the files of a side that count
``common_files``, ``changed_files``  which files two sides share, and which differ
``former_facts``              the second side as the first one knows its clusters

The overlays:
``compared_overlay``          one overlay, as its engine applies it: ``applied_sides``, ``ignores``
``compared_sides``, ``commit_steps``  all overlays, from the side before to the one after, and to each commit
``former_overlays``, ``moved_objects``  objects that move from one overlay to another
``relocated_overlays``        overlays that go to another cluster
``shared_resources``          objects that several overlays have
``judged_by_former_facts``    the worse of two verdicts
``other_overlays``            what a change of one overlay does to machines of another one:
``readers_elsewhere``, ``services_elsewhere``  machines that need an object of another overlay
``claims_elsewhere``, ``policies_elsewhere``   machines that share a claim, or that a NetworkPolicy cuts off
``definitions_elsewhere``     objects that a CustomResourceDefinition no longer serves, or drops fields of
``quotas_elsewhere``          machines that a ResourceQuota keeps from starting
``shared_clusters``           which overlays are applied to one cluster
``image_markers``             what image automation may write from now on
``unknown_names``, ``new_namespaces``  what machines name and no file has: ``manifests_with``

A cluster and Git:
``synced_cluster``            what drifted objects do to machines of other overlays

What deploys the overlays:
``applying_engine``           the engine of an overlay, as judgements ask it
``deployer_changes``          the objects that deploy overlays: ``deployer_map``
``deployers_above``           the same for a project in a subfolder of its repository
``redirected_overlays``       overlays of which something else is applied: ``deployer_builds``
``target_secrets``            Secrets that say to which cluster
``tree_changes``              files beside the sources that decide what is applied of a tree: ``tree_readers``
``overlay_owners``            objects that another owner takes over, and a former one may delete
``taken_applications``        Applications that a set begins to make
``stopped_kustomizations``    Kustomizations that apply nothing from now on

``unlisted_overlays``         what else the engines deploy: ``unlisted_side``, ``engine_objects``
``flux_variables``, ``tool_inputs``  what fills it in, and what of it is not rendered
``causes``                    the places in the sources that a difference comes from
``result``                    the difference, and the errors of both sides
"""
