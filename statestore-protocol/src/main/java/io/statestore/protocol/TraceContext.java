package io.statestore.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The trace context of a write, in MQTT user properties. This project's servers copy the
 * properties from the request to notifications of the change. Other servers ignore them.
 * <p>
 * Only W3C Trace Context, W3C Baggage, and B3 fields are kept. Each may occur once and
 * must consist of printable ASCII characters; together, they may have up to
 * {@value #MAX_LENGTH} characters. Other properties are skipped. Immutable.
 */
public final class TraceContext {

	/** Maximum length of all names and values together, in characters. */
	public static final int MAX_LENGTH = 2048;

	/** A trace context without fields. */
	public static final TraceContext EMPTY = new TraceContext(List.of(), 0);

	private static final Set<String> NAMES = Set.of("traceparent", "tracestate", "baggage", "b3", "X-B3-TraceId",
			"X-B3-SpanId", "X-B3-ParentSpanId", "X-B3-Sampled", "X-B3-Flags");

	private final List<Field> fields;

	private final int length;

	private TraceContext(List<Field> fields, int length) {
		this.fields = fields;
		this.length = length;
	}

	/**
	 * Returns the trace context contained in properties.
	 * @param <P> the type of a property
	 * @param properties the properties, in packet order
	 * @param name returns a property's name
	 * @param value returns a property's value
	 * @return the trace context, {@link #EMPTY} if there is none
	 */
	public static <P> TraceContext of(Iterable<P> properties, Function<? super P, String> name,
			Function<? super P, String> value) {
		List<Field> fields = List.of();
		int length = 0;
		for (P property : properties) {
			String field = name.apply(property);
			if (!isField(field) || find(fields, field) != null) {
				continue;
			}
			String text = value.apply(property);
			if (field.length() + text.length() <= MAX_LENGTH - length && isPrintable(text)) {
				fields = fields.isEmpty() ? new ArrayList<>(2) : fields;
				fields.add(new Field(field, text));
				length += field.length() + text.length();
			}
		}
		return fields.isEmpty() ? EMPTY : new TraceContext(List.copyOf(fields), length);
	}

	/**
	 * Returns whether a property can be part of a trace context.
	 * @param name name of the property
	 * @return whether this is a known field
	 */
	public static boolean isField(String name) {
		return NAMES.contains(name);
	}

	private static boolean isPrintable(String text) {
		return text.chars().allMatch((c) -> c >= ' ' && c < 0x7F);
	}

	private static @Nullable String find(List<Field> fields, String name) {
		for (Field field : fields) {
			if (field.name().equals(name)) {
				return field.value();
			}
		}
		return null;
	}

	/**
	 * Returns the value of a field.
	 * @param name name of the field
	 * @return the value, {@code null} if the field is absent
	 */
	public @Nullable String get(String name) {
		return find(this.fields, name);
	}

	/**
	 * Returns whether there are no fields.
	 * @return whether this trace context is empty
	 */
	public boolean isEmpty() {
		return this.fields.isEmpty();
	}

	/**
	 * Returns the length of all names and values together.
	 * @return the number of characters, which is the number of bytes
	 */
	public int length() {
		return this.length;
	}

	/**
	 * Passes the name and value of each field to an action, in order.
	 * @param action receives name and value
	 */
	public void forEach(BiConsumer<String, String> action) {
		this.fields.forEach((field) -> action.accept(field.name(), field.value()));
	}

	@Override
	public boolean equals(@Nullable Object object) {
		return object instanceof TraceContext other && this.fields.equals(other.fields);
	}

	@Override
	public int hashCode() {
		return this.fields.hashCode();
	}

	/** Returns only the names of the fields, because logs must not contain baggage. */
	@Override
	public String toString() {
		return "TraceContext" + this.fields.stream().map(Field::name).toList();
	}

	private record Field(String name, String value) {
	}

}
