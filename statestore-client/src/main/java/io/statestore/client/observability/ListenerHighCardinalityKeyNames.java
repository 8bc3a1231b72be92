package io.statestore.client.observability;

import io.micrometer.common.docs.KeyName;

/** High cardinality key names of a listener. */
enum ListenerHighCardinalityKeyNames implements KeyName {

	/** Key that has changed, shortened to 256 characters. */
	KEY {

		@Override
		public String asString() {
			return "statestore.key";
		}

	}

}
