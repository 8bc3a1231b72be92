package io.statestore.broker.mqtt;

import java.util.function.BooleanSupplier;

import io.statestore.broker.security.Permissions;
import io.statestore.protocol.Bytes;

/** Permits everything except publishing, about which the test decides. */
record PublishPermissions(BooleanSupplier publishing) implements Permissions {

	@Override
	public boolean mayRead(Bytes key) {
		return true;
	}

	@Override
	public boolean mayWrite(Bytes key) {
		return true;
	}

	@Override
	public boolean maySubscribe(String filter) {
		return true;
	}

	@Override
	public boolean mayPublish(String topic) {
		return this.publishing.getAsBoolean();
	}

	@Override
	public boolean mayAdminister() {
		return true;
	}

}
