package io.statestore.history;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.statestore.test.FileCycles;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** Dependencies of the history. The broker and Dafka do not know it or each other. */
class ModuleRulesTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.statestore.history");

	@Test
	void historyUsesNeitherClientNorSpring() {
		classes().that()
			.resideInAPackage("io.statestore.history..")
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("io.statestore.history..", "io.statestore.broker.server..", "io.statestore.dafka..",
					"io.statestore.protocol..", "java..", "org.jspecify.annotations", "org.slf4j")
			.check(CLASSES);
	}

	@Test
	void hasNoCycleOfMoreThanTwoFiles() {
		FileCycles.noCycleOfMoreThanTwoFiles("io.statestore.history..").check(CLASSES);
	}

	/** Readers of a history have no broker on the class path. */
	@Test
	void onlyJournalUsesBroker() {
		noClasses().that()
			.resideInAPackage("io.statestore.history..")
			.and()
			.haveNameNotMatching(".*\\.HistoryJournal(\\$.*)?")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.statestore.broker..")
			.check(CLASSES);
	}

}
