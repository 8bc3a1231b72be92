/**
 * Locks that the store itself enforces. Entered through
 * {@link io.statestore.client.lock.StateStoreLockRegistry}. {@code Acquisition} is the
 * way to a lock, {@code Lease} the life of one that is held, {@code StateStoreLock} binds
 * both to threads.
 */
@NullMarked
package io.statestore.client.lock;

import org.jspecify.annotations.NullMarked;
