/**
 * History of a store, read from its server's log.
 */
@NullMarked
package io.statestore.client.history;

import org.jspecify.annotations.NullMarked;
