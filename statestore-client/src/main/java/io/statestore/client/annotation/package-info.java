/**
 * Listener methods for changes of keys:
 * {@link io.statestore.client.annotation.StateStoreListener}. A post-processor finds the
 * methods, each becomes an endpoint, and a registry starts and stops them.
 */
@NullMarked
package io.statestore.client.annotation;

import org.jspecify.annotations.NullMarked;
