package io.statestore.boot;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import io.statestore.boot.PropertyMetadata.Property;

import org.springframework.util.ClassUtils;

/** The page of all properties, generated from their metadata. */
final class PropertyReference {

	/** Section titles by property prefix. */
	private static final Map<String, String> SECTIONS = new LinkedHashMap<>();

	static {
		SECTIONS.put("statestore.", "Connection to the state store");
		SECTIONS.put("statestore.ssl.", "TLS");
		SECTIONS.put("statestore.reconnect.", "Reconnecting");
		SECTIONS.put("statestore.listener.", "Listeners");
		SECTIONS.put("statestore.lock.", "Locks");
		SECTIONS.put("statestore.shedlock.", "ShedLock");
		SECTIONS.put("statestore.leader.", "Leader election");
		SECTIONS.put("statestore.cache.", "Caches");
		SECTIONS.put("statestore.integration.", "Spring Integration");
		SECTIONS.put("statestore.embedded.", "Embedded broker");
		SECTIONS.put("dafka.", "Dafka: all nodes");
		SECTIONS.put("dafka.producer.", "Dafka: producer");
		SECTIONS.put("dafka.consumer.", "Dafka: consumers");
		SECTIONS.put("dafka.store.", "Dafka: store");
		SECTIONS.put("dafka.embedded.", "Dafka: embedded tower");
		SECTIONS.put("management.", "Actuator");
	}

	private static final String INTRODUCTION = """
			# Properties

			All properties of the auto-configuration, generated from its metadata. Durations are written as `500ms`,
			`10s`, or `3m`, sizes as `64KB` or `16MB`. An empty default means that the property is not set.
			[Control room and console](demo.md#the-console-for-your-own-application) lists those of the console.
			""";

	private PropertyReference() {
	}

	static String of(PropertyMetadata metadata) {
		Map<String, List<Property>> sections = metadata.properties()
			.stream()
			.collect(Collectors.groupingBy((property) -> section(property.name())));
		StringBuilder page = new StringBuilder(INTRODUCTION);
		SECTIONS.forEach((prefix, title) -> {
			page.append("\n## ")
				.append(title)
				.append("\n\n| property | type | default | description |\n|---|---|---|---|\n");
			sections.getOrDefault(prefix, List.of()).forEach((property) -> page.append(row(property)));
		});
		return page.toString();
	}

	private static String section(String property) {
		return SECTIONS.keySet()
			.stream()
			.filter(property::startsWith)
			.max((one, other) -> one.length() - other.length())
			.orElseThrow(() -> new IllegalStateException("No section for the property " + property));
	}

	private static String row(Property property) {
		return "| `%s` | %s | %s | %s |\n".formatted(property.name(), type(property.type()),
				property.defaultValue().isEmpty() ? "" : '`' + defaultValue(property) + '`',
				property.description().replace("|", "\\|").replace("*", "\\*"));
	}

	private static String defaultValue(Property property) {
		boolean constant = !property.type().contains("<")
				&& ClassUtils.resolveClassName(property.type(), null).isEnum();
		return constant ? spelled(property.defaultValue()) : property.defaultValue();
	}

	/** Returns an enum constant as Spring Boot spells it. */
	private static String spelled(String constant) {
		return constant.toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/** Returns the values of an enum type or the simple name of any other type. */
	private static String type(String type) {
		if (type.startsWith("java.util.Map<")) {
			return "map";
		}
		if (type.contains("<")) {
			return "list of " + ClassUtils.getShortName(type.substring(type.indexOf('<') + 1, type.indexOf('>')));
		}
		Class<?> resolved = ClassUtils.resolveClassName(type, null);
		return resolved.isEnum() ? Arrays.stream(resolved.getEnumConstants())
			.map((constant) -> '`' + spelled(constant.toString()) + '`')
			.collect(Collectors.joining(", ")) : resolved.getSimpleName();
	}

}
