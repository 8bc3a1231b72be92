/**
 * History of a store, read from the log of its server.
 */
@NullMarked
package io.statestore.client.history;

import org.jspecify.annotations.NullMarked;
