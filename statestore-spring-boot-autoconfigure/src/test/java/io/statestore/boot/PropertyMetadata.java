package io.statestore.boot;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Configuration metadata of this module, which the annotation processor of Spring Boot
 * generates.
 *
 * @param properties all properties, sorted by name
 */
record PropertyMetadata(List<Property> properties) {

	private static final String LOCATION = "META-INF/spring-configuration-metadata.json";

	/**
	 * A property.
	 *
	 * @param name complete name, in dashed form
	 * @param type Java type
	 * @param defaultValue default as written in a properties file, empty for none
	 * @param description description in one or more sentences
	 */
	record Property(String name, String type, String defaultValue, String description) {

		private static Property of(JsonNode json) {
			return new Property(json.get("name").asString(), json.get("type").asString(),
					text(json.path("defaultValue")), json.path("description").asString(""));
		}

		private static String text(JsonNode value) {
			return value.isArray() ? value.valueStream().map(JsonNode::asString).collect(Collectors.joining(","))
					: value.asString("");
		}

	}

	/** Reads the metadata of the classes under test. */
	static PropertyMetadata read() {
		try {
			for (URL resource : Collections.list(PropertyMetadata.class.getClassLoader().getResources(LOCATION))) {
				PropertyMetadata metadata = read(resource);
				if (metadata.names().contains("statestore.host")) {
					return metadata;
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		throw new IllegalStateException("No configuration metadata of this module on the class path");
	}

	private static PropertyMetadata read(URL resource) throws IOException {
		try (InputStream stream = resource.openStream()) {
			return new PropertyMetadata(JsonMapper.builder()
				.build()
				.readTree(stream)
				.get("properties")
				.valueStream()
				.map(Property::of)
				.sorted(Comparator.comparing(Property::name))
				.toList());
		}
	}

	Set<String> names() {
		return this.properties.stream().map(Property::name).collect(Collectors.toSet());
	}

}
