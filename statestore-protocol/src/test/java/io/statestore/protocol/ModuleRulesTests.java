package io.statestore.protocol;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.statestore.test.FileCycles;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** Dependencies of this module. */
class ModuleRulesTests {

	private static final String OURS = "io.statestore.protocol";

	private static final String TIME = "io.statestore.time";

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(OURS);

	@Test
	void dependsOnlyOnJdkAndNullnessAnnotations() {
		classes().should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(OURS, "java..", "org.jspecify.annotations")
			.check(CLASSES);
	}

	@Test
	void filesHaveNoLargeCycles() {
		FileCycles.noCycleOfMoreThanTwoFiles(OURS + "..").check(CLASSES);
	}

	@Test
	void usesNeitherInputOutputNorThreads() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("java.io..", "java.net..", "java.nio.channels..", "java.nio.file..",
					"java.util.concurrent..", "java.util.logging..")
			.check(CLASSES);
		noClasses().should().dependOnClassesThat().areAssignableTo(Thread.class).check(CLASSES);
	}

	@Test
	void protocolAndTimeAreIndependent() {
		JavaClasses all = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
			.importPackages(OURS, TIME);
		noClasses().that().resideInAPackage(OURS).should().dependOnClassesThat().resideInAPackage(TIME).check(all);
		classes().that()
			.resideInAPackage(TIME)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(TIME, "java..", "org.jspecify.annotations")
			.check(all);
	}

}
