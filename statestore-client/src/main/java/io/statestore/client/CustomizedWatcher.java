package io.statestore.client;

import java.util.function.UnaryOperator;

import io.statestore.protocol.Bytes;

/** Watcher that changes the settings of its watches. */
record CustomizedWatcher(KeyWatcher watcher, UnaryOperator<KeyWatcher.Settings> customizer) implements KeyWatcher {

	@Override
	public KeyWatch watch(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
		return this.watcher.watch(key, this.customizer.apply(settings), listener);
	}

	@Override
	public KeyWatch watchPattern(Bytes pattern, Settings settings, KeyChangeListener<Bytes> listener) {
		return this.watcher.watchPattern(pattern, this.customizer.apply(settings), listener);
	}

	@Override
	public CommandInvoker tracking(CommandInvoker invoker) {
		return this.watcher.tracking(invoker);
	}

}
