package com.example.flags;

import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.statestore.client.Key;
import io.statestore.client.annotation.StateStoreListener;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

@Component
public class FlagListener {

	private final Map<String, Flag<?>> flags;

	FlagListener(ObjectProvider<Flag<?>> flags) {
		Stream<Flag<?>> all = flags.stream();
		this.flags = all.collect(Collectors.toMap(Flag::key, Function.identity()));
	}

	public Set<String> keys() {
		return this.flags.keySet();
	}

	@StateStoreListener(id = "flags", keys = "#{@flagListener.keys()}", initial = true)
	void changed(Key key, @Nullable String text) {
		this.flags.get(key.toString()).changed(text);
	}

}
