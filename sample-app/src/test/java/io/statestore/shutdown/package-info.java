/** Shutdown of web applications, outside the packages that the sample scans. */
@NullMarked
package io.statestore.shutdown;

import org.jspecify.annotations.NullMarked;
