package com.example.flags;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** A flag with a typed value. */
final class Flag<T> {

	private final String key;

	private final Function<String, T> parser;

	private final T fallback;

	private volatile T value;

	Flag(String key, Function<String, T> parser, T fallback) {
		this.key = key;
		this.parser = parser;
		this.fallback = fallback;
		this.value = fallback;
	}

	static boolean onOrOff(String text) {
		return switch (text) {
			case "on" -> true;
			case "off" -> false;
			default -> throw new IllegalArgumentException("A flag is on or off");
		};
	}

	String key() {
		return this.key;
	}

	T value() {
		return this.value;
	}

	/** Takes over a stored value, or the fallback if there is none. */
	void changed(@Nullable String text) {
		this.value = (text != null) ? this.parser.apply(text) : this.fallback;
	}

}
