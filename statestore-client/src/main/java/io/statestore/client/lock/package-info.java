/**
 * Locks that the store itself enforces. The entry point is
 * {@link io.statestore.client.lock.StateStoreLockRegistry}. An {@code Acquisition} leads
 * to a {@code Lease}, which lasts until the lock is released or lost. {@code KeyLock}
 * binds both to threads.
 */
@NullMarked
package io.statestore.client.lock;

import org.jspecify.annotations.NullMarked;
