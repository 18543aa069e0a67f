// SPDX-License-Identifier: BSD-3-Clause
//
// Names of places: in this very program, in the system's libc, which is stripped, and in files written by
// hand, sound and not.
#include "conformance/harness/symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/guard.h"
#include "conformance/harness/holdings.h"

namespace conformance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

namespace fs = std::filesystem;

class TemporaryFile {
 public:
  TemporaryFile() {
    std::string name = (fs::temp_directory_path() / "symbols_test.XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file < 0) throw std::runtime_error("no temporary file");
    close(file);
    path_ = name;
  }
  ~TemporaryFile() { fs::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  TemporaryFile(TemporaryFile&&) = delete;
  TemporaryFile& operator=(TemporaryFile&&) = delete;

  void write(const std::vector<char>& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Function {
  const char* name;
  uint64_t start, size;
  unsigned char binding = STB_GLOBAL;
};

// An ELF file of headers and symbols alone; section 1 is the table, section 2 its names.
struct ElfFile {
  ElfW(Ehdr) header{};
  ElfW(Shdr) sections[3]{};
  std::vector<ElfW(Sym)> symbols;
  std::string names = std::string(1, '\0');

  ElfFile(uint32_t type, const std::vector<Function>& functions) {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_version = EV_CURRENT;
    header.e_shentsize = sizeof(ElfW(Shdr));
    header.e_shnum = 3;
    header.e_shoff = sizeof(header);
    symbols.push_back({});
    for (const Function& function : functions) {
      ElfW(Sym) symbol{};
      symbol.st_name = static_cast<ElfW(Word)>(names.size());
      symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(function.binding, STT_FUNC));
      symbol.st_shndx = 1;
      symbol.st_value = function.start;
      symbol.st_size = function.size;
      symbols.push_back(symbol);
      names += function.name + std::string(1, '\0');
    }
    sections[1].sh_type = type;
    sections[1].sh_entsize = sizeof(ElfW(Sym));
    sections[1].sh_offset = sizeof(header) + sizeof(sections);
    sections[1].sh_size = symbols.size() * sizeof(ElfW(Sym));
    sections[1].sh_link = 2;
    sections[2].sh_type = SHT_STRTAB;
    sections[2].sh_offset = sections[1].sh_offset + sections[1].sh_size;
    sections[2].sh_size = names.size();
  }

  [[nodiscard]] std::vector<char> bytes() const {
    std::vector<char> all;
    const auto add = [&all](const void* from, size_t size) {
      const char* begin = static_cast<const char*>(from);
      all.insert(all.end(), begin, begin + size);
    };
    add(&header, sizeof(header));
    add(sections, sizeof(sections));
    add(symbols.data(), symbols.size() * sizeof(ElfW(Sym)));
    add(names.data(), names.size());
    return all;
  }
};

SymbolTable table_of(const std::vector<char>& bytes) {
  const TemporaryFile file;
  file.write(bytes);
  return SymbolTable::of_file(file.path());
}

SymbolTable table_of(const std::vector<Function>& functions) {
  return table_of(ElfFile(SHT_DYNSYM, functions).bytes());
}

std::string found(const SymbolTable& table, uint64_t offset) {
  const auto symbol = table.find(offset);
  return symbol ? fmt::format("{}{}+{:#x}", symbol->inside ? "" : "after ", symbol->name, symbol->past) : "";
}

TEST(SymbolTable, NearestSymbolBeforeAPlaceNamesIt) {
  const SymbolTable table = table_of({{"second", 0x200, 0x10}, {"first", 0x100, 0x10}});
  EXPECT_EQ(found(table, 0xff), "");
  EXPECT_EQ(found(table, 0x100), "first+0x0");
  EXPECT_EQ(found(table, 0x10f), "first+0xf");
  EXPECT_EQ(found(table, 0x110), "after first+0x10");
  EXPECT_EQ(found(table, 0x200), "second+0x0");
  EXPECT_EQ(found(table, UINT64_MAX), fmt::format("after second+{:#x}", UINT64_MAX - 0x200));
}

TEST(SymbolTable, FunctionGoesOnBehindALabelInIt) {
  const SymbolTable table = table_of({{"whole", 0x100, 0x100}, {"label", 0x120, 0}});
  EXPECT_EQ(found(table, 0x130), "whole+0x30");
}

TEST(SymbolTable, OfSeveralNamesTheUsualOneIsTaken) {
  const SymbolTable table = table_of({{"__poll", 0x100, 8},
                                      {"poll", 0x100, 8, STB_WEAK},
                                      {"a_local", 0x200, 8, STB_LOCAL},
                                      {"exported@@V_1", 0x200, 8}});
  EXPECT_EQ(found(table, 0x100), "poll+0x0");
  EXPECT_EQ(found(table, 0x200), "exported+0x0");
}

TEST(SymbolTable, NamesAreMadeReadable) {
  const SymbolTable table =
      table_of({{"_ZN4toys5crashEi", 0x100, 8}, {"bad\xff\nname", 0x200, 8}, {"", 0x300, 8}});
  EXPECT_EQ(found(table, 0x100), "toys::crash(int)+0x0");
  EXPECT_EQ(found(table, 0x200), "bad??name+0x0");
  EXPECT_EQ(table.size(), 2U);
}

TEST(SymbolTable, FileThatIsNotThereHasNone) {
  EXPECT_EQ(SymbolTable::of_file("/nonexistent/lib.so").size(), 0U);
  EXPECT_EQ(SymbolTable::of_file("/").size(), 0U);
  EXPECT_EQ(SymbolTable::of_file("").size(), 0U);
  const TemporaryFile empty;
  EXPECT_EQ(SymbolTable::of_file(empty.path()).size(), 0U);
}

TEST(SymbolTable, PipeIsNotWaitedFor) {
  const TemporaryFile file;
  fs::remove(file.path());
  ASSERT_EQ(mkfifo(file.path().c_str(), 0600), 0);
  EXPECT_EQ(SymbolTable::of_file(file.path()).size(), 0U);
}

// At each length, and with each byte of the headers and symbols at its extremes: no crash.
TEST(SymbolTable, DamagedFilesDoNoHarm) {
  const std::vector<char> whole = ElfFile(SHT_SYMTAB, {{"one", 0x100, 8}, {"two", 0x200, 8}}).bytes();
  ASSERT_EQ(table_of(whole).size(), 2U);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_LT(table_of(std::vector<char>(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size))).size(),
              2U);
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\x00', '\x7f', '\x80', '\xff'}) {
      std::vector<char> damaged = whole;
      damaged[at] = value;
      const SymbolTable table = table_of(damaged);
      EXPECT_LE(table.size(), 2U);
      found(table, 0x104);
    }
}

// ---- places of this process ----

int a_function_of_this_program(int value) {
  return value + 1;
}

template <typename Function>
Place place_at(Function* function, uint64_t past) {
  return place_of(reinterpret_cast<uint64_t>(function) + past);
}

class SymbolsTest : public testing::Test {
 protected:
  SymbolsTest() {
    add_role("iut", "libiut.so.0");
    add_role("rdmacm", "librdmacm.so.1");
    add_role("harness", "main");
    add_role("harness", "librdmafault.so");
  }

  void add_role(std::string_view role, std::string_view module) {
    rdmafault_role row{};
    role.copy(row.role, sizeof(row.role) - 1);
    module.copy(row.module, sizeof(row.module) - 1);
    library_.roles.push_back(row);
  }

  void add_frame(const Place& place) { observation_.frame.at(observation_.frames++) = place; }

  // A frame in a module that is a file of ours, loaded at a base of its own.
  void add_frame(std::string_view module, uint64_t base, uint64_t offset) {
    Place place{};
    place.address = base + offset;
    place.offset = offset;
    module.copy(place.file.data(), place.file.size() - 1);
    add_frame(place);
  }
  void add_module(uint64_t base, const std::string& path) {
    LoadedModule& module = observation_.modules.at(observation_.module_count++);
    module.base = base;
    path.copy(module.path.data(), module.path.size() - 1);
  }

  Library library_;
  Symbols symbols_{library_};
  Observation observation_{};
};

TEST_F(SymbolsTest, FunctionOfThisProgramIsNamed) {
  EXPECT_THAT(symbols_.describe(place_at(a_function_of_this_program, 0), observation_),
              MatchesRegex(R"(main\+0x[0-9a-f]+ \(.*a_function_of_this_program\(int\)\+0x0\))"));
}

TEST_F(SymbolsTest, ExportedFunctionOfLibcIsNamed) {
  // Of libc itself: a sanitizer has one of its own in front.
  const std::unique_ptr<void, int (*)(void*)> libc(dlopen("libc.so.6", RTLD_NOW), dlclose);
  ASSERT_NE(libc, nullptr);
  const void* poll = dlsym(libc.get(), "poll");
  const Place place = place_of(reinterpret_cast<uint64_t>(poll) + 1);
  const auto is_poll = MatchesRegex(R"(libc\.so\.6\+0x[0-9a-f]+ \(poll\+0x1\))");
  EXPECT_THAT(symbols_.describe(place, observation_), is_poll);
  list_modules(observation_);
  EXPECT_THAT(symbols_.describe(place, observation_), is_poll);
}

TEST_F(SymbolsTest, PlaceInNoObjectIsItsAddress) {
  Place nowhere{};
  nowhere.address = 0x18;
  EXPECT_EQ(symbols_.describe(nowhere, observation_), "0x18");
}

TEST_F(SymbolsTest, PlaceInAnUnknownObjectHasNoSymbol) {
  Place place{};
  place.address = 0x1018;
  place.offset = 0x18;
  std::string_view("libunknown.so").copy(place.file.data(), place.file.size() - 1);
  EXPECT_EQ(symbols_.describe(place, observation_), "libunknown.so+0x18");
}

TEST_F(SymbolsTest, ReturnAddressBehindAFunctionIsThatFunctions) {
  const TemporaryFile file;
  file.write(ElfFile(SHT_SYMTAB, {{"first", 0x100, 0x10}, {"second", 0x110, 0x10}}).bytes());
  add_module(0x7000'0000, file.path());
  add_frame("libiut.so.0", 0x7000'0000, 0x110);
  add_frame("libiut.so.0", 0x7000'0000, 0x110);
  EXPECT_THAT(symbols_.stack_of(observation_),
              ElementsAre("libiut.so.0+0x110 (second+0x0)", "libiut.so.0+0x110 (first+0x10)"));
}

TEST_F(SymbolsTest, ModuleIsFoundByItsNameWhereItsBaseIsUnknown) {
  const TemporaryFile file;
  file.write(ElfFile(SHT_SYMTAB, {{"first", 0x100, 0x10}}).bytes());
  add_module(0x7000'0000, file.path());
  add_frame(fs::path(file.path()).filename().c_str(), 0x6000'0000, 0x104);
  EXPECT_THAT(symbols_.stack_of(observation_), ElementsAre(HasSubstr("(first+0x4)")));
}

TEST_F(SymbolsTest, NoFramesNoSignature) {
  EXPECT_THAT(symbols_.stack_of(observation_), IsEmpty());
  EXPECT_EQ(symbols_.signature_of(observation_, "iut"), "");
}

TEST_F(SymbolsTest, SignatureEndsWithTheOutermostFrameOfTheIut) {
  const TemporaryFile cm;
  cm.write(ElfFile(SHT_DYNSYM, {{"rdma_create_id", 0x100, 0x10}}).bytes());
  const TemporaryFile iut;
  iut.write(ElfFile(SHT_SYMTAB, {{"helper", 0x100, 0x10}, {"rpma_ep_listen", 0x200, 0x10}}).bytes());
  add_module(0x7000'0000, cm.path());
  add_module(0x8000'0000, iut.path());
  add_frame("librdmacm.so.1", 0x7000'0000, 0x180);
  add_frame("librdmafault.so", 0x9000'0000, 0x50);
  add_frame("libiut.so.0", 0x8000'0000, 0x104);
  add_frame("libiut.so.0", 0x8000'0000, 0x204);
  add_frame("main", 0xa000'0000, 0x50);
  EXPECT_EQ(symbols_.signature_of(observation_, "iut"),
            "librdmacm!after rdma_create_id < libiut!helper < libiut!rpma_ep_listen");
}

TEST_F(SymbolsTest, SignatureHasSixFramesAtMost) {
  for (uint64_t i = 0; i < 10; ++i) add_frame("libother.so.2", 0x7000'0000, 0x10 * i);
  EXPECT_EQ(symbols_.signature_of(observation_, "iut"),
            "libother!? < libother!? < libother!? < libother!? < libother!? < libother!?");
}

TEST_F(SymbolsTest, CountsInAnObservationAreNotTrusted) {
  observation_.frames = 1'000'000;
  observation_.module_count = 1'000'000;
  EXPECT_EQ(symbols_.stack_of(observation_).size(), observation_.frame.size());
}

}  // namespace
}  // namespace conformance
