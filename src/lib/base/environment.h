/* What the process's environment says. The library reads it and never changes it. */
#ifndef VKMM_BASE_ENVIRONMENT_H
#define VKMM_BASE_ENVIRONMENT_H

/* Where temporary files without a place of their own go: TMPDIR, or /tmp. Valid as long as the environment stays. */
const char *vkmm_environment_temporary(void);

#endif
