package io.statestore.client.mqtt.internal;

import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

import io.statestore.client.mqtt.ConnectionOptions;

/** Attempts to connect to the first host of a connection. */
final class Attempts {

	private Attempts() {
	}

	static Link.Attempt of(ConnectionOptions options) {
		return of(options, Executors.defaultThreadFactory());
	}

	static Link.Attempt of(ConnectionOptions options, ThreadFactory threads) {
		return new Link.Attempt(options, options.hosts().get(0), options.connectTimeout(), null, threads);
	}

}
