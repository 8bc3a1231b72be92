/**
 * Methods that are called with changes of keys:
 * {@link io.statestore.client.annotation.StateStoreListener}. The post-processor finds
 * them, an endpoint is one of them, the registry starts and stops them.
 */
@NullMarked
package io.statestore.client.annotation;

import org.jspecify.annotations.NullMarked;
