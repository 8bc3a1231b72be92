/**
 * Distributed locks whose fencing tokens let the store refuse outdated writes. The entry
 * point is {@link io.statestore.client.lock.StateStoreLockRegistry}.
 * <p>
 * An {@code Acquisition} leads to a {@code Lease}, which lasts until the lock is released
 * or lost. Both are state machines without threads. {@code FencedLock} binds them to
 * threads, and a {@link io.statestore.client.lock.HeldLock} fences writes.
 */
@NullMarked
package io.statestore.client.lock;

import org.jspecify.annotations.NullMarked;
