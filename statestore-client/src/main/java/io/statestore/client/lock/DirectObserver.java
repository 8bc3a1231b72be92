package io.statestore.client.lock;

import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver;
import io.statestore.protocol.Bytes;

/**
 * Observer that notifies listeners on the thread that receives the change. This is safe
 * because the state machines of locks never block. Their observations use the capacity
 * that is reserved for locks.
 */
record DirectObserver(KeyObserver observer) implements KeyObserver {

	@Override
	public KeyObservation observe(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
		return this.observer.observe(key, settings.asDirect(), listener);
	}

	@Override
	public CommandInvoker tracking(CommandInvoker invoker) {
		return this.observer.tracking(invoker);
	}

}
