package io.statestore.history;

import io.statestore.broker.server.Change;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;

/** Changes of no broker. */
final class TestChanges {

	private TestChanges() {
	}

	static Change start(long millis) {
		return mark(Change.Operation.START, millis);
	}

	/** Returns a change without a key. */
	static Change mark(Change.Operation operation, long millis) {
		return new Change(operation, Bytes.EMPTY, Bytes.EMPTY, version(millis), version(millis), null);
	}

	static Change present(Bytes key, String value, long millis, long keyMillis) {
		return new Change(Change.Operation.PRESENT, key, Bytes.of(value), version(millis), version(keyMillis), null);
	}

	static Change set(Bytes key, String value, Version version) {
		return new Change(Change.Operation.SET, key, Bytes.of(value), version, version, "test");
	}

	static Version version(long millis) {
		return new Version(millis, 0, "StateStore");
	}

}
