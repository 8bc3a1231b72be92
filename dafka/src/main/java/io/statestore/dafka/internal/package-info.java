/**
 * Option checks, private files, and warning limits. Internal: not part of the API.
 */
@NullMarked
package io.statestore.dafka.internal;

import org.jspecify.annotations.NullMarked;
