package io.statestore.dafka;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** What this module may use, and which way its packages depend on each other. */
class ModuleRulesTests {

	private static final String OURS = "io.statestore.dafka";

	private final JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(OURS);

	@Test
	void dependsOnNothingButJeroMqRocksDbAndTheLoggingFacade() {
		classes().should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(OURS + "..", "java..", "org.jspecify.annotations", "org.slf4j", "org.zeromq", "zmq..",
					"org.rocksdb")
			.check(this.classes);
	}

	@Test
	void thePackagesDependOneWay() {
		forbid(OURS, OURS + ".wire..", OURS + ".node..", OURS + ".tower..", OURS + ".producer..", OURS + ".consumer..",
				OURS + ".store..");
		forbid(OURS + ".wire..", OURS + ".node..", OURS + ".tower..", OURS + ".producer..", OURS + ".consumer..",
				OURS + ".store..");
		forbid(OURS + ".node..", OURS + ".tower..", OURS + ".producer..", OURS + ".consumer..", OURS + ".store..");
		forbid(OURS + ".producer..", OURS + ".tower..", OURS + ".consumer..", OURS + ".store..");
		forbid(OURS + ".consumer..", OURS + ".tower..", OURS + ".producer..", OURS + ".store..");
		forbid(OURS + ".store..", OURS + ".tower..", OURS + ".producer..", OURS + ".consumer..");
	}

	@Test
	void theWireHasNoSocketsAndNoThreads() {
		noClasses().that()
			.resideInAPackage(OURS + ".wire..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.zeromq", "zmq..", "java.util.concurrent..", "java.net..", "java.nio.channels..")
			.check(this.classes);
	}

	@Test
	void onlyTheEngineOfTheStoreKnowsRocksDb() {
		noClasses().that()
			.resideOutsideOfPackage(OURS + ".store.storage..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.rocksdb")
			.check(this.classes);
	}

	private void forbid(String from, String... to) {
		noClasses().that()
			.resideInAPackage(from)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(to)
			.check(this.classes);
	}

}
