/**
 * Contracts between the client's packages. Not for applications; may change without
 * notice.
 */
@NullMarked
package io.statestore.client.internal;

import org.jspecify.annotations.NullMarked;
