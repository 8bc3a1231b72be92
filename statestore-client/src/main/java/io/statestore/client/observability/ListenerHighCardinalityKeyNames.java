package io.statestore.client.observability;

import io.micrometer.common.docs.KeyName;

/** High cardinality key names of a listener. */
enum ListenerHighCardinalityKeyNames implements KeyName {

	/** Key that has changed, shortened to 256 characters. */
	KEY("statestore.key");

	private final String name;

	ListenerHighCardinalityKeyNames(String name) {
		this.name = name;
	}

	@Override
	public String asString() {
		return this.name;
	}

}
