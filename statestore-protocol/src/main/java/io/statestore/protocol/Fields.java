package io.statestore.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Names and values in an answer to an administration request. The first of several values
 * with the same name counts. Not thread-safe.
 */
final class Fields {

	private final List<Bytes> elements;

	/** Creates an object without fields. */
	Fields() {
		this.elements = new ArrayList<>();
	}

	/** Reads an array of names and values. */
	Fields(Bytes payload) {
		this.elements = AdministrationFormat.elements(payload, Integer.MAX_VALUE);
		if (this.elements.size() % 2 != 0) {
			throw RespReader.syntaxError();
		}
	}

	/** Adds a field, unless its value is {@code null}. */
	Fields with(String name, @Nullable Object value) {
		if (value != null) {
			this.elements.add(Bytes.of(name));
			this.elements.add((value instanceof Bytes bytes) ? bytes
					: Bytes.of(String.valueOf((value instanceof Duration time) ? time.toMillis() : value)));
		}
		return this;
	}

	byte[] encode() {
		return AdministrationFormat.array(this.elements);
	}

	private @Nullable Bytes value(String name) {
		Bytes encoded = Bytes.of(name);
		for (int i = 0; i < this.elements.size(); i += 2) {
			if (this.elements.get(i).equals(encoded)) {
				return this.elements.get(i + 1);
			}
		}
		return null;
	}

	Bytes requiredBytes(String name) {
		Bytes value = value(name);
		if (value == null) {
			throw RespReader.syntaxError();
		}
		return value;
	}

	@Nullable String text(String name) {
		Bytes value = value(name);
		return (value != null) ? value.toUtf8() : null;
	}

	String required(String name) {
		return requiredBytes(name).toUtf8();
	}

	@Nullable Long number(String name) {
		Bytes value = value(name);
		return (value != null) ? AdministrationFormat.number(value) : null;
	}

	long requiredNumber(String name) {
		return AdministrationFormat.number(requiredBytes(name));
	}

	int requiredInt(String name) {
		return (int) Math.min(Integer.MAX_VALUE, requiredNumber(name));
	}

	/** Returns a number, 0 if there is none. */
	int optionalInt(String name) {
		return (value(name) != null) ? requiredInt(name) : 0;
	}

	@Nullable Duration millis(String name) {
		Long millis = number(name);
		return (millis != null) ? Duration.ofMillis(millis) : null;
	}

}
