package io.statestore.protocol;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The schema of a record in administration payloads: the names of its components, in
 * constructor order.
 * <ul>
 * <li>In a request's arguments, the values are listed one after another. An optional
 * value is preceded by its component's upper-case name; a set flag consists only of this
 * name.
 * <li>In an answer's item, each value follows its name. Optional values may be absent.
 * Unknown names are ignored, so later versions can add optional values. If a name is
 * repeated, its first value counts.
 * </ul>
 *
 * @param <T> the type of the record
 */
final class RecordForm<T> {

	private final List<Component<T>> components = new ArrayList<>();

	private final Function<Values, T> constructor;

	RecordForm(Function<Values, T> constructor) {
		this.constructor = constructor;
	}

	/** Adds a component, in constructor order. */
	RecordForm<T> with(Kind kind, String name, Function<Bytes, ?> decoder, Function<T, @Nullable Object> accessor) {
		this.components
			.add(new Component<>(kind, Bytes.of(name), Bytes.of(name.toUpperCase(Locale.ROOT)), decoder, accessor));
		return this;
	}

	/** Adds the arguments of a request to a list. */
	void addArguments(T request, List<Bytes> arguments) {
		for (Component<T> component : this.components) {
			Object value = component.accessor().apply(request);
			if (value instanceof List<?> rest) {
				rest.forEach((each) -> arguments.add(encode(each)));
			}
			else if (value != null && !value.equals(false)) {
				if (component.kind() != Kind.REQUIRED) {
					arguments.add(component.option());
				}
				if (component.kind() != Kind.FLAG) {
					arguments.add(encode(value));
				}
			}
		}
	}

	/** Creates a request from its arguments. */
	T ofArguments(List<Bytes> arguments) {
		Deque<Bytes> rest = new ArrayDeque<>(arguments);
		T request = create((component) -> component.take(rest));
		if (!rest.isEmpty()) {
			throw RespReader.syntaxError();
		}
		return request;
	}

	/** Returns an item as an array of names and values. */
	byte[] encodeItem(T item) {
		List<Bytes> elements = new ArrayList<>();
		for (Component<T> component : this.components) {
			Object value = component.accessor().apply(item);
			if (value != null) {
				elements.add(component.name());
				elements.add(encode(value));
			}
		}
		return RespWriter.array(elements.toArray(Bytes[]::new));
	}

	/** Creates an item from an array of names and values. */
	T decodeItem(Bytes payload) {
		List<Bytes> elements = new RespReader(payload).readBulkArray(Integer.MAX_VALUE);
		if (elements.size() % 2 != 0) {
			throw RespReader.syntaxError();
		}
		Map<Bytes, Bytes> values = new HashMap<>();
		for (int i = 0; i < elements.size(); i += 2) {
			values.putIfAbsent(elements.get(i), elements.get(i + 1));
		}
		return create((component) -> {
			Bytes value = values.get(component.name());
			if (value == null && component.kind() == Kind.REQUIRED) {
				throw RespReader.syntaxError();
			}
			return (value != null) ? component.decoder().apply(value) : null;
		});
	}

	private T create(Function<Component<T>, @Nullable Object> source) {
		List<@Nullable Object> values = new ArrayList<>();
		this.components.forEach((component) -> values.add(source.apply(component)));
		try {
			return this.constructor.apply(new Values(values.iterator()));
		}
		catch (IllegalArgumentException ex) {
			throw RespReader.syntaxError();
		}
	}

	private static Bytes encode(Object value) {
		if (value instanceof Bytes bytes) {
			return bytes;
		}
		if (value instanceof Duration time) {
			return Bytes.of(Long.toString(time.toMillis()));
		}
		if (value instanceof Boolean flag) {
			return Bytes.of(flag ? "1" : "0");
		}
		return Bytes.of(value.toString());
	}

	/** Reads a string, which must be valid UTF-8. */
	static String text(Bytes encoded) {
		String text = encoded.toUtf8();
		if (!Bytes.of(text).equals(encoded)) {
			throw RespReader.syntaxError();
		}
		return text;
	}

	static long number(Bytes encoded) {
		RespReader reader = new RespReader(encoded);
		long number = reader.readNumber();
		reader.readEnd();
		return number;
	}

	static int count(Bytes encoded) {
		return (int) Math.min(Integer.MAX_VALUE, number(encoded));
	}

	static boolean flag(Bytes encoded) {
		return number(encoded) != 0;
	}

	static Duration millis(Bytes encoded) {
		return Duration.ofMillis(number(encoded));
	}

	static Version version(Bytes encoded) {
		return Version.parse(text(encoded));
	}

	static <E> Function<Bytes, E> oneOf(E[] constants, Function<E, String> name) {
		return (encoded) -> Arrays.stream(constants)
			.filter((constant) -> Bytes.of(name.apply(constant)).equals(encoded))
			.findFirst()
			.orElseThrow(RespReader::syntaxError);
	}

	/** How a component appears in a request's arguments. */
	enum Kind {

		/** A value that is always present. */
		REQUIRED,

		/** A value that follows its name, if present. */
		OPTIONAL,

		/** A flag whose name is present if the flag is set. */
		FLAG,

		/** A list of strings that takes the rest of the arguments. */
		REST

	}

	private record Component<T>(Kind kind, Bytes name, Bytes option, Function<Bytes, ?> decoder,
			Function<T, @Nullable Object> accessor) {

		/** Takes the value from the remaining arguments. */
		@Nullable Object take(Deque<Bytes> rest) {
			if (this.kind == Kind.REST) {
				List<?> values = rest.stream().map(this.decoder).toList();
				rest.clear();
				return values;
			}
			boolean present = this.kind == Kind.REQUIRED || this.option.equals(rest.peek());
			if (this.kind != Kind.REQUIRED && present) {
				rest.remove();
			}
			if (this.kind == Kind.FLAG) {
				return present;
			}
			if (present && rest.isEmpty()) {
				throw new ProtocolException(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
			}
			return present ? this.decoder.apply(rest.remove()) : null;
		}

	}

	/**
	 * The components' values, in constructor order.
	 *
	 * @param rest the values that have not been taken yet
	 */
	record Values(Iterator<@Nullable Object> rest) {

		/** Returns the next value, {@code null} only if it is optional. */
		@SuppressWarnings({ "unchecked", "NullAway", "TypeParameterUnusedInFormals" })
		<V> V next() {
			return (V) this.rest.next();
		}

	}

}
