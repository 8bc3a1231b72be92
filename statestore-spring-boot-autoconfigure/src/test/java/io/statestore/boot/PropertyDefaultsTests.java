package io.statestore.boot;

import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Defaults of properties. */
class PropertyDefaultsTests {

	/** Words that describe the behavior without a value. */
	private static final Pattern DEFAULT = Pattern.compile(".*\\b([Dd]efault|Required)\\b.*");

	private final PropertyMetadata metadata = PropertyMetadata.read();

	@Test
	void everyPropertyHasDefaultOrDescribesIt() {
		assertThat(this.metadata.properties()).filteredOn((property) -> property.defaultValue().isEmpty())
			.isNotEmpty()
			.allSatisfy((property) -> assertThat(property.description()).as(property.name()).matches(DEFAULT));
	}

}
