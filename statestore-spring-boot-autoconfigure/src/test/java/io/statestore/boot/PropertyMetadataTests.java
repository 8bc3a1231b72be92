package io.statestore.boot;

import java.io.InputStream;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class PropertyMetadataTests {

	@Test
	void everyPropertyIsDocumented() throws Exception {
		try (InputStream metadata = StateStoreProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			JsonNode properties = JsonMapper.builder().build().readTree(metadata).get("properties");
			assertThat(properties).hasSizeGreaterThan(45).allSatisfy((property) -> {
				assertThat(property.get("name").asString())
					.matches("(statestore|dafka|management\\.health\\.(dafka|embedded-state-store))\\..*");
				assertThat(property.path("description").asString("")).as(property.get("name").asString()).endsWith(".");
			});
		}
	}

}
