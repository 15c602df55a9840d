/* What limits a product on the session's device, and how long it should take. */
#pragma once

#include "look/predict.h"
#include "session/session.h"

/* Measures session->peaks[type], once. */
vkmm_status cli_peaks(cli_session *session, vkmm_type type);

/* The peak of the device's matrix operations with these types. shape: the only one to measure, or zeros for all; *peak:
 * the fastest, 0 if there is none. */
vkmm_status cli_matrix_peak(cli_session *session, vkmm_types types, const uint32_t shape[3], double *peak);

/* From what its kernel does, counted for those of the tutorials and planned for the others, and from the device's
 * peaks, which are measured once for each session and type. On a processor, nothing is measured unless --html needs the
 * peaks: the limiter is that of an ordinary processor, and predicted_ms is NAN. VKMM_UNSUPPORTED: serial, or a user's
 * shader. */
vkmm_status cli_predict(cli_session *session, const vkmm_job_params *params, vkmm_prediction *prediction);

/* A prediction as the texts and figures of a row; NULL: there is none. */
cli_forecast cli_forecast_of(const char *name, const char *sentence, const vkmm_prediction *prediction);
