import type { Adoption, Plan } from '../../server-queries.ts';
import { Notice } from '../../ui/notice.tsx';

/** Data that a plan would leave behind, and the warnings of the plan and the adoption. */
export function PlanNotes({ plan, adoption }: { plan: Plan; adoption: Adoption }) {
  const { services } = plan;
  const warnings = [...adoption.warnings, ...plan.warnings];
  const risks = services.flatMap(({ dataAtRisk }) => dataAtRisk);
  return (
    <>
      {risks.length > 0 && (
        <Notice kind="danger">
          <p className="font-medium">Data would be left behind. The deployment asks for your confirmation first.</p>
          <Sentences all={risks} />
        </Notice>
      )}
      {warnings.length > 0 && (
        <Notice kind="warn">
          <p className="font-medium">Warnings</p>
          <Sentences all={warnings} />
        </Notice>
      )}
    </>
  );
}

/** Kept verbatim: some begin with the name of a service. */
export const Sentences = ({ all }: { all: string[] }) => (
  <ul className="mt-1 grid gap-1 text-ink">
    {all.map((each) => (
      <li key={each}>{each}</li>
    ))}
  </ul>
);
