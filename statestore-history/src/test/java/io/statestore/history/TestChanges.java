package io.statestore.history;

import io.statestore.broker.server.Change;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;

/** Changes of no broker. */
final class TestChanges {

	private TestChanges() {
	}

	static Change start(long millis) {
		return new Change(Change.Operation.START, Bytes.EMPTY, Bytes.EMPTY, version(millis), null);
	}

	static Change set(Bytes key, String value, Version version) {
		return new Change(Change.Operation.SET, key, Bytes.of(value), version, "test");
	}

	static Version version(long millis) {
		return new Version(millis, 0, "StateStore");
	}

}
