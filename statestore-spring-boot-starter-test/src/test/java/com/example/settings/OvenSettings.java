package com.example.settings;

import java.util.Optional;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.stereotype.Component;

@Component
@EnableConfigurationProperties(OvenProperties.class)
class OvenSettings {

	private static final String KEY = "settings/oven";

	private final StateStoreOperations store;

	/** From {@code application.properties}, for as long as the store has none. */
	private final OvenProperties defaults;

	private volatile OvenProperties current;

	OvenSettings(StateStoreOperations store, OvenProperties defaults) {
		this.store = store;
		this.defaults = defaults;
		this.current = defaults;
	}

	/** Returns the properties now. Work that needs several of them calls this once. */
	OvenProperties current() {
		return this.current;
	}

	/** Changes the properties of all instances. */
	void change(OvenProperties properties) {
		this.store.set(KEY, properties);
	}

	@StateStoreListener(id = "oven-settings", keys = KEY, initial = true)
	void changed(Optional<OvenProperties> stored) {
		this.current = stored.orElse(this.defaults);
	}

}
