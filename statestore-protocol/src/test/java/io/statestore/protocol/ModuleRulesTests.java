package io.statestore.protocol;

import java.util.List;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.statestore.test.FileCycles;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** Dependencies of this module, whose packages are independent of each other. */
class ModuleRulesTests {

	private static final String PROTOCOL = "io.statestore.protocol";

	private static final String TIME = "io.statestore.time";

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.importUrl(Bytes.class.getProtectionDomain().getCodeSource().getLocation());

	@Test
	void dependsOnlyOnJdkAndNullnessAnnotations() {
		for (String ours : List.of(PROTOCOL, TIME)) {
			classes().that()
				.resideInAPackage(ours)
				.should()
				.onlyDependOnClassesThat()
				.resideInAnyPackage(ours, "java..", "org.jspecify.annotations")
				.check(CLASSES);
		}
	}

	@Test
	void filesHaveNoLargeCycles() {
		FileCycles.noCycleOfMoreThanTwoFiles(PROTOCOL).check(CLASSES);
	}

	@Test
	void usesNeitherInputOutputNorThreads() {
		noClasses().that()
			.resideInAPackage(PROTOCOL)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("java.io..", "java.net..", "java.nio.channels..", "java.nio.file..",
					"java.util.concurrent..", "java.util.logging..")
			.orShould()
			.dependOnClassesThat()
			.areAssignableTo(Thread.class)
			.check(CLASSES);
	}

}
