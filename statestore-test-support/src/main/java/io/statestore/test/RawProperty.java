package io.statestore.test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A property in an MQTT 5 packet.
 *
 * @param type determines identifier and encoding
 * @param value a {@link Long}, a string, bytes, or a pair of strings
 */
public record RawProperty(PropertyType type, Object value) {

	/** Returns the value of the first property of a type. */
	static @Nullable Object first(List<RawProperty> properties, PropertyType type) {
		return properties.stream()
			.filter((property) -> property.type == type)
			.map(RawProperty::value)
			.findFirst()
			.orElse(null);
	}

	static List<RawProperty> readAll(PacketReader in) throws IOException {
		PacketReader properties = in.sized();
		List<RawProperty> all = new ArrayList<>();
		while (!properties.atEnd()) {
			all.add(PropertyType.read(properties));
		}
		return all;
	}

	static void writeAll(PacketWriter out, List<RawProperty> properties) {
		out.sized((inner) -> properties.forEach((property) -> property.type.write(inner, property.value)));
	}

}
