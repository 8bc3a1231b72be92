package io.statestore.broker.log;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

import io.statestore.broker.log.SimulatedDisk.Fault;
import io.statestore.broker.log.SimulatedDisk.PowerCut;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TwinFileTests {

	@TempDir
	private Path directory;

	@Test
	void confirmedContentSurvivesPowerCuts() throws Exception {
		for (int seed = 0; seed < 500; seed++) {
			Random random = new Random(seed);
			SimulatedDisk disk = new SimulatedDisk(seed);
			disk.createDirectories(Path.of("/data"));
			Path path = Path.of("/data/vote");
			TwinFile.create(disk, path, new byte[] { 0 }).close();
			byte written = 0;
			byte confirmed = 0;
			for (int start = 0; start < 5; start++) {
				int[] count = { random.nextInt(20) };
				disk.faults((operation, file) -> (--count[0] < 0) ? Fault.CUT : Fault.NONE);
				try (TwinFile file = TwinFile.open(disk, path)) {
					assertThat(file.content()[0]).as("seed %s", seed).isBetween(confirmed, written);
					written = file.content()[0];
					confirmed = written;
					while (written < 100) {
						written++;
						file.write(new byte[] { written });
						confirmed = written;
					}
				}
				catch (PowerCut ex) {
					disk.cutPower();
				}
			}
		}
	}

	@Test
	void survivesDamageToOneCopyButNotBoth() throws Exception {
		Path path = this.directory.resolve("vote");
		TwinFile.create(path, "old".getBytes()).close();
		try (TwinFile file = TwinFile.open(path)) {
			file.write("new".getBytes());
		}
		for (int copy = 0; copy < 2; copy++) {
			flip(path, copy);
			try (TwinFile file = TwinFile.open(path)) {
				assertThat(file.content()).isEqualTo("new".getBytes());
			}
		}
		flip(path, 0);
		flip(path, 1);
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> TwinFile.open(path))
			.withMessageContaining(path.toString());
	}

	@Test
	void replacesContentOnFullDisk() throws Exception {
		SimulatedDisk disk = new SimulatedDisk(1);
		disk.createDirectories(Path.of("/data"));
		TwinFile file = TwinFile.create(disk, Path.of("/data/vote"), new byte[0]);
		disk.capacity(disk.usedBytes());
		file.write(new byte[TwinFile.MAX_BYTES]);
		assertThat(TwinFile.open(disk, Path.of("/data/vote")).content()).hasSize(TwinFile.MAX_BYTES);
	}

	private static void flip(Path path, int copy) throws Exception {
		byte[] content = Files.readAllBytes(path);
		content[copy * 8_192 + 24] ^= 1;
		Files.write(path, content);
	}

}
