# Run by cpack on the files of a package before it is put together: what Debian wants where, and compressed.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(share "${CPACK_TEMPORARY_DIRECTORY}/usr/share")
set(doc "${share}/doc/lanebank")

file(MAKE_DIRECTORY "${share}/zsh/vendor-completions")
file(RENAME "${share}/zsh/site-functions/_lanebank" "${share}/zsh/vendor-completions/_lanebank")
file(REMOVE_RECURSE "${share}/zsh/site-functions")

# The licence's text is part of every Debian system.
file(REMOVE "${doc}/LICENSE")
file(WRITE "${doc}/copyright"
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: lanebank

Files: *
Copyright: 2026 lanebank developers
License: Apache-2.0

License: Apache-2.0
 On Debian systems, the full text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
")
file(WRITE "${doc}/changelog.Debian"
"lanebank (${CPACK_PACKAGE_VERSION}-1) unstable; urgency=medium

  * Made by cpack from lanebank ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 1970 00:00:00 +0000
")
foreach(file IN ITEMS "${doc}/changelog.Debian" "${share}/man/man1/lanebank.1")
  execute_process(COMMAND gzip -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Whatever the umask of the build.
file(GLOB_RECURSE entries LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(entry IN LISTS entries)
  if(IS_DIRECTORY "${entry}" OR entry MATCHES "/usr/bin/")
    file(CHMOD "${entry}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  elseif(NOT IS_SYMLINK "${entry}")
    file(CHMOD "${entry}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()
endforeach()
