/**
 * A store's history, read from its log. See
 * {@link io.statestore.broker.history.StoreHistory}.
 */
@NullMarked
package io.statestore.broker.history;

import org.jspecify.annotations.NullMarked;
