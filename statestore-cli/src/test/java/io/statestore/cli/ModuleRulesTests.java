package io.statestore.cli;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.statestore.test.FileCycles;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

class ModuleRulesTests {

	private static final JavaClasses CLASSES = new ClassFileImporter().importPath("target/classes");

	@Test
	void hasNoCyclesLargerThanTwoFiles() {
		FileCycles.noCycleOfMoreThanTwoFiles("io.statestore.cli..").check(CLASSES);
	}

	/** Each would delay the start of every command. */
	@Test
	void usesNeitherSpringContextNorDataBinding() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework.context..", "tools.jackson.databind..", "io.micrometer..",
					"ch.qos.logback..", "io.statestore.broker..")
			.check(CLASSES);
	}

}
