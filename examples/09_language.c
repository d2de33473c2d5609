// SPDX-License-Identifier: BSD-3-Clause
/* 09_language: which language is this? Letters are random vectors of bits, a trigram is the product of three of them, each moved on by
 * its place, a text the bundle of its trigrams, a language the bundle of its texts (A. Joshi, J. T. Halseth, P. Kanerva, Quantum
 * Interaction, LNCS 10106 (2017) 265-274).
 *
 *   09_language [BACKEND]        tells the languages of a few sentences
 */
#include <heddle/kits/vsa_memory.h>
#include <stdio.h>

enum { LANGUAGES = 5, LEARNED = 5, ASKED = 3, LONGEST = 256 };

static const struct language {
  const char *name;
  const char *learned[LEARNED], *asked[ASKED];
} languages[LANGUAGES] = {
  { "english",
    { "the miller opened the door before sunrise and listened to the water below the wheel",
      "when the rain had stopped they walked along the river and counted the boats",
      "nobody in the village remembered who had built the old stone bridge",
      "she wrote a long letter to her brother and told him what had happened that winter",
      "there was enough bread for everyone but hardly any cheese left on the table" },
    { "the children were waiting for their father at the end of the road",
      "he thought that the whole house would be asleep by then",
      "with the first light of the morning the fishermen went out again" } },
  { "german",
    { "der alte mann sitzt am fenster und schaut den kindern beim spielen zu",
      "als der regen aufhoerte gingen wir durch den wald zum see hinunter",
      "niemand wusste genau wann die bruecke ueber den fluss gebaut worden war",
      "sie hat ihrem bruder einen langen brief geschrieben und von der reise erzaehlt",
      "auf dem markt gibt es heute frisches brot und aepfel aus den doerfern der umgebung" },
    { "die kinder warten schon seit einer stunde auf ihren vater",
      "er glaubte dass um diese zeit das ganze haus schlafen wuerde",
      "am naechsten morgen fuhren die fischer wieder hinaus" } },
  { "french",
    { "le vieux moulin se trouve au bord de la riviere derriere les grands arbres",
      "quand la pluie a cesse nous sommes descendus jusqu'au lac par le petit chemin",
      "personne dans le village ne savait qui avait construit ce pont de pierre",
      "elle a ecrit une longue lettre a son frere pour lui raconter son voyage",
      "il y avait assez de pain pour tout le monde mais presque plus de fromage" },
    { "les enfants attendent leur pere depuis une heure devant la maison",
      "il croyait que tout le monde dormirait deja quand il rentrerait",
      "le lendemain matin les pecheurs sont repartis avec leurs bateaux" } },
  { "spanish",
    { "el viejo molino esta junto al rio detras de los arboles mas altos",
      "cuando dejo de llover bajamos hasta el lago por el camino pequeno",
      "nadie en el pueblo sabia quien habia construido aquel puente de piedra",
      "ella escribio una carta muy larga a su hermano para contarle su viaje",
      "habia bastante pan para todos pero ya casi no quedaba queso en la mesa" },
    { "los ninos esperan a su padre desde hace una hora delante de la casa",
      "el creia que todos estarian durmiendo cuando llegara",
      "a la manana siguiente los pescadores salieron otra vez con sus barcos" } },
  { "finnish",
    { "vanha mylly seisoo joen rannalla korkeiden puiden takana",
      "kun sade oli lakannut he kavelivat polkua pitkin alas jarvelle",
      "kukaan kylassa ei muistanut kuka oli rakentanut sen vanhan kivisillan",
      "han kirjoitti veljelleen pitkan kirjeen ja kertoi mita talvella oli tapahtunut",
      "leipaa oli kaikille tarpeeksi mutta juustoa ei ollut poydalla enaa juuri lainkaan" },
    { "lapset odottavat isaansa talon edessa jo toista tuntia",
      "han luuli etta koko talo nukkuisi jo siihen aikaan",
      "seuraavana aamuna kalastajat lahtivat taas merelle" } },
};

/* The bundle of the trigrams of TEXT, of letters that are rows of ALPHABET: a to z, then all that is none. */
static hed_array *encode(const hed_vsa *v, const hed_array *alphabet, const char *text)
{
  int64_t letter[LONGEST], n = 0;
  hed_array *product = NULL;
  for (; text[n] && n < LONGEST; n++)
    letter[n] = text[n] >= 'a' && text[n] <= 'z' ? text[n] - 'a' : 26;
  hed_array *all = hed_take(alphabet, hed_from_host(letter, HED_SHAPE(n), HED_INT64), 0);
  for (int k = 0; k < 3; k++) { /* the letters k, k + 1, ..: all trigrams at once */
    hed_array *part = hed_vsa_permute(v, hed_slice(all, 1, &HED_RANGE(k, n - 2 + k, 1)), 2 - k);
    product = k == 0 ? part : hed_vsa_bind(v, product, part);
  }
  return hed_vsa_bundle(v, product, 0, NULL);
}

static hed_status recognise(const hed_vsa *v, const hed_array *alphabet, hed_vsa_classifier *c)
{
  int right = 0;
  for (int64_t k = 0; k < LANGUAGES; k++)
    for (int i = 0; i < LEARNED; i++)
      HED_SCOPE {
        hed_array *text = hed_expand_dims(encode(v, alphabet, languages[k].learned[i]), 0);
        hed_status status = hed_vsa_classifier_fit(c, text, hed_from_host(&k, HED_SHAPE(1), HED_INT64));
        if (status != HED_OK)
          return status;
      }
  for (int k = 0; k < LANGUAGES; k++)
    for (int i = 0; i < ASKED; i++)
      HED_SCOPE {
        int64_t found = -1;
        hed_status status = hed_item_int(hed_vsa_classifier_predict(c, encode(v, alphabet, languages[k].asked[i])), &found);
        if (status != HED_OK)
          return status;
        printf("%-8s %s\n", languages[found].name, languages[k].asked[i]);
        right += found == k;
      }
  printf("%d of %d right\n", right, LANGUAGES * ASKED);
  return HED_OK;
}

int main(int argc, char **argv)
{
  hed_vsa *v = NULL;
  hed_vsa_classifier *c = NULL;
  hed_status status = hed_vsa_by_name("bsc;layout=packed;dim=16384;seed=1", &v);
  if (status == HED_OK)
    HED_BACKEND_CONTEXT_OR(argc > 1 ? argv[1] : "reference", status = hed_error())
    HED_SCOPE {
      const hed_shape letters = HED_SHAPE(27);
      hed_array *alphabet = hed_vsa_random(v, &letters, &(hed_random){ .seed = 1, .seeded = true });
      status = hed_vsa_classifier_create(v, LANGUAGES, NULL, &c);
      if (status == HED_OK)
        status = recognise(v, alphabet, c);
    }
  if (status != HED_OK)
    fprintf(stderr, "09_language: %s\n", hed_error_text());
  hed_vsa_classifier_release(c);
  hed_vsa_release(v);
  return status == HED_OK ? 0 : 1;
}
