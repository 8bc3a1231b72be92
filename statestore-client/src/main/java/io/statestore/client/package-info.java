/**
 * Client of the state store. The entry point is
 * {@link io.statestore.client.StateStoreTemplate}, which implements
 * {@link io.statestore.client.StateStoreOperations}. Commands are sent by a
 * {@link io.statestore.client.CommandInvoker}.
 */
@NullMarked
package io.statestore.client;

import org.jspecify.annotations.NullMarked;
