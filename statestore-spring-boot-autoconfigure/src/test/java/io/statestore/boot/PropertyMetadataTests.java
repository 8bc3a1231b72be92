package io.statestore.boot;

import java.util.regex.Pattern;

import io.statestore.boot.PropertyMetadata.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PropertyMetadataTests {

	private static final Pattern NAME = Pattern
		.compile("(statestore|dafka|management\\.health\\.(dafka|embedded-state-store)"
				+ "|management\\.(health|info|endpoint)\\.statestore)\\..+");

	/**
	 * Openings that the description of a property must not have, such as "The".
	 */
	private static final Pattern VAGUE = Pattern.compile("(The|An?|Most|Largest|Longest|Enable|Sets?) .*");

	private final PropertyMetadata metadata = PropertyMetadata.read();

	@Test
	void everyPropertyHasDescription() {
		assertThat(this.metadata.properties()).hasSizeGreaterThan(80)
			.allSatisfy((property) -> assertThat(property.description()).as(property.name())
				.endsWith(".")
				.doesNotMatch(VAGUE));
	}

	@Test
	void everyPropertyHasProjectPrefix() {
		assertThat(this.metadata.names()).allMatch(NAME.asMatchPredicate());
	}

	@Test
	void booleanDescriptionsStartWithWhether() {
		assertThat(this.metadata.properties()).filteredOn((property) -> property.type().equals("java.lang.Boolean"))
			.extracting(Property::description)
			.isNotEmpty()
			.allMatch((description) -> description.startsWith("Whether "));
	}

}
