/**
 * The client as applications see it: {@link io.statestore.client.StateStoreOperations}
 * and what it takes, returns and throws. How a command reaches the broker is behind
 * {@link io.statestore.client.CommandInvoker}.
 */
@NullMarked
package io.statestore.client;

import org.jspecify.annotations.NullMarked;
