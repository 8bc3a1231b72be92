package io.statestore.client;

import java.util.function.UnaryOperator;

import io.statestore.protocol.Bytes;

/** Observer that changes the settings of its observations. */
record CustomizedObserver(KeyObserver observer, UnaryOperator<KeyObserver.Settings> customizer) implements KeyObserver {

	@Override
	public KeyObservation observe(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
		return this.observer.observe(key, this.customizer.apply(settings), listener);
	}

	@Override
	public CommandInvoker tracking(CommandInvoker invoker) {
		return this.observer.tracking(invoker);
	}

}
