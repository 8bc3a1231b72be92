/**
 * Creates certificates for demonstrations and tests.
 * <p>
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.broker.certificates;

import org.jspecify.annotations.NullMarked;
