package io.statestore.history;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.statestore.test.FileCycles;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

/** Dependencies of the feed, which works without a broker in its process. */
class ModuleRulesTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.statestore.history");

	@Test
	void feedUsesNeitherBrokerNorSpring() {
		classes().that()
			.resideInAPackage("io.statestore.history..")
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("io.statestore.history..", "io.statestore.client.history..", "io.statestore.dafka..",
					"io.statestore.protocol..", "java..", "org.jspecify.annotations", "org.slf4j")
			.check(CLASSES);
	}

	@Test
	void hasNoCyclesLargerThanTwoFiles() {
		FileCycles.noCycleOfMoreThanTwoFiles("io.statestore.history..").check(CLASSES);
	}

}
