/**
 * Listener methods for key changes:
 * {@link io.statestore.client.annotation.StateStoreListener}. A post-processor finds the
 * methods and creates an endpoint for each of them; a registry starts and stops the
 * endpoints.
 */
@NullMarked
package io.statestore.client.annotation;

import org.jspecify.annotations.NullMarked;
