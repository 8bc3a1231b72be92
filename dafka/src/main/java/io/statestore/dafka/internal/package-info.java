/**
 * Checks of options, private files, and limits of warnings. Internal: not part of the
 * API.
 */
@NullMarked
package io.statestore.dafka.internal;

import org.jspecify.annotations.NullMarked;
