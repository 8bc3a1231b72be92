package io.statestore.boot;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;

import static org.assertj.core.api.Assertions.assertThat;

/** Defaults of properties, and properties that only conditions read. */
class PropertyDefaultsTests {

	/** Words that describe the behavior without a value. */
	private static final Pattern DEFAULT = Pattern.compile(".*\\b([Dd]efault|Required)\\b.*");

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages("io.statestore.boot");

	private final PropertyMetadata metadata = PropertyMetadata.read();

	@Test
	void everyPropertyHasDefaultOrDescribesIt() {
		assertThat(this.metadata.properties()).filteredOn((property) -> property.defaultValue().isEmpty())
			.isNotEmpty()
			.allSatisfy((property) -> assertThat(property.description()).as(property.name()).matches(DEFAULT));
	}

	@Test
	void propertiesOfConditionsHaveMetadata() {
		Set<String> names = CLASSES.stream()
			.flatMap((type) -> Stream.concat(type.getAnnotations().stream(),
					type.getMethods().stream().flatMap((method) -> method.getAnnotations().stream())))
			.flatMap(PropertyDefaultsTests::properties)
			.filter((name) -> name.matches("(statestore|dafka|management)\\..*"))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(names).contains("statestore.embedded.enabled", "management.health.dafka.enabled");
		assertThat(this.metadata.names()).containsAll(names);
	}

	private static Stream<String> properties(JavaAnnotation<?> annotation) {
		JavaClass type = annotation.getRawType();
		if (type.isEquivalentTo(ConditionalOnEnabledHealthIndicator.class)) {
			return text(annotation, "value").map((name) -> "management.health." + name + ".enabled");
		}
		if (!type.isEquivalentTo(ConditionalOnBooleanProperty.class)
				&& !type.isEquivalentTo(ConditionalOnProperty.class)) {
			return Stream.empty();
		}
		String prefix = text(annotation, "prefix")
			.map((text) -> text.endsWith(".") || text.isEmpty() ? text : text + '.')
			.findFirst()
			.orElse("");
		return Stream.concat(text(annotation, "value"), text(annotation, "name")).map((name) -> prefix + name);
	}

	private static Stream<String> text(JavaAnnotation<?> annotation, String attribute) {
		Object value = annotation.get(attribute).orElse("");
		return (value instanceof String[] texts) ? Arrays.stream(texts)
				: Stream.of(value.toString()).filter((text) -> !text.isEmpty());
	}

}
